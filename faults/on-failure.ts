import type { LogEvent } from '@filepath/protocol';
import type { Api } from '@filepath/testkit';
import { onTestFailed } from 'vitest';

const LAST = 12;
const WIDTH = 240;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const line = (event: LogEvent): string =>
  `    ${event.seq} ${event.at} ${event.source} ${JSON.stringify(event.body).slice(0, WIDTH)}`;

/** A test that hangs says nothing of why: how its sessions stand is printed, with the ends of the unfinished threads. */
export function showOnFailure(api: Api, ...sessions: readonly string[]): void {
  onTestFailed(async () => {
    for (const session of sessions) {
      const { nodes } = await api.tree(session);
      for (const { id, name, status, reason, queue } of nodes) {
        say(`  ${name}: ${status} ${reason ?? ''} ${queue === undefined ? '' : String(queue)}`);
        if (status === 'done') continue;
        for (const event of (await api.events(id)).slice(-LAST)) say(line(event));
      }
    }
  });
}
