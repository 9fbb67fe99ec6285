importScripts('faller.js');
let key = () => {};
onmessage = ({ data }) => {
  if (data.drawing) key = fall(data.drawing.getContext('2d'));
  else key(data.key);
};
