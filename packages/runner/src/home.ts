import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createExclusive, readText } from './files.ts';

/** Paths of `$FILEPATH_HOME` that belong to the runner. */
export class Home {
  readonly agents: string;
  readonly archive: string;
  readonly mirrors: string;
  /** Where tools of chats work; nothing in it outlives a call. */
  readonly chatTools: string;
  /** The highest uid that an agent was ever given. */
  readonly lastUid: string;

  constructor(path: string) {
    this.agents = join(path, 'agents');
    this.archive = join(path, 'archive');
    this.mirrors = join(path, 'mirrors');
    this.chatTools = join(path, 'chat-tools');
    this.lastUid = join(path, 'last-uid');
    for (const dir of [path, this.agents, this.archive, this.mirrors]) {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
    }
  }
}

/** A name that no other home has. Made once, and kept. */
export function homeId(path: string): string {
  const file = join(path, 'home-id');
  createExclusive(file, `${randomUUID()}\n`);
  const id = readText(file)?.trim() ?? '';
  if (/^[0-9a-f-]{36}$/.test(id)) return id;
  throw new Error(`${file} is damaged: delete it while no agent runs`);
}

/** Files of one epoch. */
export class RunDir {
  readonly path: string;
  readonly epoch: number;

  constructor(agentDir: string, epoch: number) {
    this.path = join(agentDir, 'run', String(epoch));
    this.epoch = epoch;
  }

  private at(name: string): string {
    return join(this.path, name);
  }

  get order(): string {
    return this.at('order.json');
  }
  /** The executor of this epoch, chosen before its start. */
  get executor(): string {
    return this.at('executor');
  }
  get pid(): string {
    return this.at('pid');
  }
  get stdin(): string {
    return this.at('stdin');
  }
  get spool(): string {
    return this.at('spool');
  }
  /** What the pump does that empties the agent's stdout into the spool. */
  get pump(): string {
    return this.at('pump');
  }
  /** How far into the spool the pump may go. */
  get credit(): string {
    return this.at('credit');
  }
  get stderr(): string {
    return this.at('stderr');
  }
  get status(): string {
    return this.at('status.json');
  }
  get observed(): string {
    return this.at('observed');
  }
  get exit(): string {
    return this.at('exit');
  }
  get over(): string {
    return this.at('over');
  }
  /** Size of the workspace's log of HEAD, and where HEAD was, when the epoch began. */
  get head(): string {
    return this.at('head');
  }
  /** The image that the agent runs in. */
  get image(): string {
    return this.at('image');
  }
  /** The workspace is made by this epoch. */
  get fresh(): string {
    return this.at('fresh');
  }
  /** A stop was ordered: when, and how long it may take. */
  get stop(): string {
    return this.at('stop.json');
  }
  /** The last order to pause or go on. */
  get pause(): string {
    return this.at('pause.json');
  }
  /** The process ended because of a limit: which. */
  get limit(): string {
    return this.at('limit');
  }
  /** The control groups that the shim puts the sandbox into, one a line. */
  get groups(): string {
    return this.at('groups');
  }
  /** The filter of system calls. */
  get seccomp(): string {
    return this.at('seccomp');
  }
  /** Options of the sandbox, the agent's environment among them: removed once they are read. */
  get args(): string {
    return this.at('args');
  }
}
