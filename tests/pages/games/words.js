// What the pages say, by language; `none` says nothing at all.
'use strict';

const LANGUAGES = {
  en: { title: 'Falling blocks', start: 'Play', score: 'Score', level: 'Level', lines: 'Lines', next: 'Next', hold: 'Hold', pause: 'Pause', resume: 'Resume', over: 'Game over', again: 'Play again', reset: 'Reset', ok: 'Got it', help: 'How to play', cookie: 'We use cookies.', accept: 'Accept', press: 'Press', options: 'Options', mode: 'Marathon', more: 'More games' },
  es: { title: 'Bloques que caen', start: 'Jugar', score: 'Puntos', level: 'Nivel', lines: 'Líneas', next: 'Siguiente', hold: 'Reserva', pause: 'Pausa', resume: 'Seguir', over: 'Fin de la partida', again: 'Otra vez', reset: 'Borrar', ok: 'Entendido', help: 'Cómo se juega', cookie: 'Usamos galletas.', accept: 'Aceptar', press: 'Pulsa', options: 'Opciones', mode: 'Maratón', more: 'Más juegos' },
  de: { title: 'Fallende Blöcke', start: 'Los', score: 'Punkte', level: 'Stufe', lines: 'Reihen', next: 'Nächstes', hold: 'Ablage', pause: 'Anhalten', resume: 'Weiter', over: 'Schluss', again: 'Nochmal', reset: 'Zurück', ok: 'Verstanden', help: 'So geht es', cookie: 'Wir verwenden Kekse.', accept: 'Annehmen', press: 'Drücke', options: 'Einstellungen', mode: 'Dauerlauf', more: 'Andere Spiele' },
  ja: { title: '落ちるブロック', start: '開始', score: '得点', level: 'レベル', lines: '列', next: '次', hold: '保留', pause: '休止', resume: '再開', over: '終わり', again: 'もう一度', reset: '消去', ok: '了解', help: '遊び方', cookie: 'クッキーを使います。', accept: '同意', press: '押す', options: '設定', mode: 'マラソン', more: '他のゲーム' },
  ar: { title: 'المكعبات الساقطة', start: 'ابدأ', score: 'النقاط', level: 'المستوى', lines: 'الأسطر', next: 'التالي', hold: 'احتفاظ', pause: 'وقفة', resume: 'متابعة', over: 'انتهت اللعبة', again: 'مرة أخرى', reset: 'مسح', ok: 'فهمت', help: 'كيف تلعب', cookie: 'نستخدم ملفات الارتباط.', accept: 'موافق', press: 'اضغط', options: 'خيارات', mode: 'ماراثون', more: 'ألعاب أخرى' },
  zh: { title: '下落的方块', start: '开始', score: '得分', level: '等级', lines: '行数', next: '下一个', hold: '暂存', pause: '暂停', resume: '继续', over: '结束', again: '再来一次', reset: '清除', ok: '知道了', help: '玩法', cookie: '我们使用饼干。', accept: '接受', press: '按', options: '选项', mode: '马拉松', more: '更多游戏' },
};
const LANG = param('lang', 'en');
const say = word => LANGUAGES[LANG]?.[word] ?? '';
