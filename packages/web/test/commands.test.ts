import { describe, expect, it } from 'vitest';
import { COMMANDS, commandsFor, spoken } from '../src/lib/text/commands.ts';
import { mentionsIn } from '../src/lib/text/mentions.ts';
import { completed, triggerAt } from '../src/lib/text/trigger.ts';

describe('commands', () => {
  it('[UII4] every command of the list is understood', () => {
    for (const { name } of COMMANDS) {
      expect(spoken(` /${name} `)).toMatchObject({ kind: 'command', command: { name } });
    }
  });

  it('[UII4] what follows a name is its argument, where it takes one', () => {
    expect(spoken('/rename the other one')).toMatchObject({ argument: 'the other one' });
    expect(spoken('/stop now')).toEqual({ kind: 'unknown', why: '/stop takes nothing after it.' });
  });

  it('[UII4] an unknown one is doubted, and a path or prose is text', () => {
    expect(spoken('/deploy')).toEqual({ kind: 'unknown', why: 'There is no command /deploy.' });
    for (const text of ['/usr/bin is gone', 'say /stop', '/', '/ stop', '//x']) {
      expect(spoken(text), text).toEqual({ kind: 'text' });
    }
  });

  it('[UII4] are offered by the beginning of their name first', () => {
    expect(commandsFor('re').map(({ name }) => name)).toEqual(['resume', 'restart', 'rename']);
    expect(commandsFor('draft').map(({ name }) => name)).toEqual(['clear-draft']);
    expect(commandsFor('')).toHaveLength(COMMANDS.length);
  });
});

describe('the word at the caret', () => {
  it('[UII5] is a command at the beginning only, and a mention at the beginning of any word', () => {
    expect(triggerAt('/re', 3)).toEqual({ kind: 'command', query: 're', from: 0, to: 3 });
    expect(triggerAt('see /re', 7)).toBeNull();
    expect(triggerAt('see @src/a', 10)).toMatchObject({ kind: 'mention', query: 'src/a', from: 4 });
    expect(triggerAt('a@b', 3)).toBeNull();
    expect(triggerAt('@a b', 4)).toBeNull();
  });

  it('[UII5] is replaced by what was picked, with one space after it', () => {
    const trigger = triggerAt('look at @im now', 11);
    if (trigger === null) throw new Error('no trigger');
    expect(completed('look at @im now', trigger, '@impl')).toEqual({
      text: 'look at @impl now',
      caret: 14,
    });
    expect(completed('@im', { ...trigger, from: 0, to: 3 }, '@impl').text).toBe('@impl ');
  });

  it('[UII5] names agents in a message: the longest name, each once', () => {
    const names = ['impl', 'impl two', 'db'];
    expect(mentionsIn('ask @impl two, then @db. And @impl two', names)).toEqual(['impl two', 'db']);
    expect(mentionsIn('@implicit @impl/x a@db @impl.ts', names)).toEqual([]);
  });
});
