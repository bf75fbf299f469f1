import { describe, expect, it } from 'vitest';
import { engineersTools, FORMATS, researchersTools, tell, user } from './asked.ts';

const FILES = ['src/', 'README.md', 'src/rose.ts'];

describe.each(FORMATS)('offline/demo, asked in the format %s', (format) => {
  it('[OFF1] looks, reads, writes, runs, commits, has two children and sums up', async () => {
    const told = await tell(format, engineersTools(FILES), [user('plant a rose')]);
    expect(told.calls.map(([name]) => name)).toEqual([
      'list_files',
      'git',
      'read_file',
      'write_file',
      'bash',
      'git',
      'spawn_agent',
      'spawn_agent',
      'wait_children',
      'read_child_messages',
      'read_child_messages',
    ]);
    expect(told.calls[2]).toEqual(['read_file', { path: 'README.md', limit: 40 }]);
    expect(told.calls[5]?.[1]).toMatchObject({ action: 'commit', paths: ['filepath-demo.md'] });
    for (const said of ['plant a rose', '[main 1a2b3c4]', 'demo reader', 'My report: roses.']) {
      expect(told.text).toContain(said);
    }
  });

  it('[OFF2] says that it is a script without a language model, and how to set a key', async () => {
    for (const tools of [engineersTools(FILES), researchersTools(FILES), {}]) {
      const told = await tell(format, tools, [user('plant a rose')]);
      expect(told.texts[0]).toContain('offline/demo: a script');
      expect(told.text).toContain('ANTHROPIC_API_KEY');
      expect(told.text).toContain('Settings');
    }
  });

  it('[OFF3] calls nothing but what is offered', async () => {
    const { spawn_agent: _, bash: __, ...fewer } = engineersTools(FILES);
    const told = await tell(format, fewer, [user('plant a rose')]);
    const called = new Set(told.calls.map(([name]) => name));
    expect([...called].filter((name) => !(name in fewer))).toEqual([]);
    expect(called).not.toContain('wait_children');
    expect(called).toContain('write_file');
    expect(await tell(format, { Bash: () => 'ok' }, [user('hi')])).toMatchObject({ calls: [] });
  });

  it('[OFF4] works in a folder that is empty and no repository', async () => {
    const told = await tell(format, engineersTools([], false), [user('plant a rose')]);
    expect(told.calls.map(([name]) => name)).not.toContain('read_file');
    const bash = told.calls.find(([name]) => name === 'bash');
    expect(bash?.[1]['command']).toContain('git init');
    expect(told.text).toContain('The workspace is empty.');
  });

  it('[OFF5] gives each child its piece, and a child has none of its own', async () => {
    const parent = await tell(format, engineersTools(FILES), [user('plant a rose')]);
    const tasks = parent.calls
      .filter(([name]) => name === 'spawn_agent')
      .map(([, input]) => String(input['task']));
    const [reader, writer] = await Promise.all(
      tasks.map((task) => tell(format, engineersTools(FILES), [user(task)])),
    );
    expect(reader?.calls.map(([name]) => name)).toEqual(['list_files', 'git', 'read_file']);
    expect(reader?.text).toContain('> Roses and bees.');
    expect(writer?.calls.map(([name]) => name)).toEqual([
      'list_files',
      'git',
      'write_file',
      'bash',
      'git',
    ]);
    expect(writer?.text).toContain('[main 1a2b3c4]');
  });

  it('[OFF6] researches without changing anything where it may not write', async () => {
    const question = 'Which roses are there in the garden?';
    const told = await tell(format, researchersTools(FILES), [user(question)]);
    expect(told.calls.map(([name, { action }]) => action ?? name)).toEqual([
      'list_files',
      'status',
      'search',
      'read_file',
      'log',
    ]);
    expect(told.calls[2]?.[1]['pattern']).toBe('(garden|roses)');
    expect(told.text).toContain('> README.md:1:# A garden');
    expect(told.text).toContain('> 1a2b3c4');
  });

  it('[OFF7] answers a later message shortly, and does not begin again', async () => {
    const first = await tell(format, engineersTools(FILES), [user('plant a rose')]);
    const second = await tell(format, engineersTools(FILES), [
      ...first.messages,
      user('and a tulip'),
    ]);
    expect(second.calls.map(([name]) => name)).toEqual(['list_files', 'git']);
    expect(second.text).toContain('and a tulip');
    const third = await tell(format, engineersTools(FILES), [...second.messages, user('well')]);
    expect(third.steps).toBe(2);
  });

  it('[OFF7] goes on when a message comes while it works, and tells of it', async () => {
    const whole = await tell(format, engineersTools(FILES), [user('plant a rose')]);
    const upToTheFile = whole.messages.findIndex(
      (message) => message.role === 'tool' && JSON.stringify(message).includes('Created'),
    );
    const steered = [...whole.messages.slice(0, upToTheFile + 1), user('in the shade')];
    const told = await tell(format, engineersTools(FILES), steered);
    expect(told.calls[0]?.[0]).toBe('bash');
    expect(told.text).toContain('in the shade');
  });

  it('[OFF8] says which tool failed, goes on and ends', async () => {
    const well = engineersTools(FILES);
    const failing = Object.fromEntries(
      Object.keys(well).map((name) => [name, () => `${name} is broken`]),
    );
    const told = await tell(format, failing, [user('plant a rose')]);
    expect(told.steps).toBeLessThanOrEqual(9);
    for (const name of ['write_file', 'bash', 'git', 'spawn_agent']) {
      expect(told.text).toMatch(new RegExp(`did not work.*${name} is broken`));
    }
  });

  it('[OFF8] takes a name that no file has', async () => {
    const told = await tell(format, engineersTools(['filepath-demo.md', 'a.txt']), [user('again')]);
    const written = told.calls.find(([name]) => name === 'write_file');
    expect(written?.[1]['path']).toBe('filepath-demo-2.md');
    expect(told.calls[2]).toEqual(['read_file', { path: 'a.txt', limit: 40 }]);
  });
});
