export default {
  tools: {
    'sky.echo': ({ text, times = 1 }) => ({ text: Array(times).fill(text).join(' ') }),
  },
};
