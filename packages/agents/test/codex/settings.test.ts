import { expect, it } from 'vitest';
import { codexArgs } from '../../src/codex/settings.ts';

it("[GW15] codex's search is off: its provider would run it, past the network policy and the budget", () => {
  expect(codexArgs({}, '/workspace')).toContain('web_search="disabled"');
});
