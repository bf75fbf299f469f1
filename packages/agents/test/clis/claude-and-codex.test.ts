import { afterAll, beforeAll, describe, it } from 'vitest';
import { play, type Stage, stage } from './play.ts';
import { SCENARIOS } from './scenarios.ts';

describe.each(['claude-code', 'codex'])('the real CLI of %s, in the sandbox', (type) => {
  let set: Stage;
  beforeAll(async () => {
    set = await stage(type);
  });
  afterAll(async () => {
    await set[Symbol.asyncDispose]();
  });

  it.each(SCENARIOS)('[DRV1] $name', async (scenario) => {
    await play(set, scenario);
  });
});
