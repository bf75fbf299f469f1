import { describe, expect, it } from 'vitest';
import { declines, optionLabel, questionParts } from '../src/lib/text/question.ts';

describe('a question', () => {
  it.each([
    ['Delete the old table?', 'Delete the old table?', null, null],
    ['Run this command?\nrm -rf x\n(clean up)', 'Run this command?', 'rm -rf x', 'clean up'],
    ['Run this command?\nmake\nmake test', 'Run this command?', 'make\nmake test', null],
    ['Gemini wants to run: npm i', 'Gemini wants to run', 'npm i', null],
    ['write_file {"path":"a"}', 'Use write_file?', '{"path":"a"}', null],
    ['Is this right: yes?', 'Is this right: yes?', null, null],
  ])('[UIB14] %j is a line, what it is about, and why', (prompt, title, subject, reason) => {
    expect(questionParts(prompt)).toEqual({ title, subject, reason });
  });

  it('[UIB14] of leave has answers in words; those of others are the agent’s', () => {
    expect(optionLabel('allow', true)).toBe('Allow once');
    expect(optionLabel('allow', false)).toBe('allow');
    expect(optionLabel('toString', true)).toBe('toString');
    expect(['deny', 'No', 'no, stop', 'cancel'].every(declines)).toBe(true);
    expect(['allow', 'yes', 'now', 'note it'].some(declines)).toBe(false);
  });
});
