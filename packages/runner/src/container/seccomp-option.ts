import { writeFileSync } from 'node:fs';
import { Refusal } from '../executor/executor.ts';
import { dockerProfile } from '../seccomp/docker-profile.ts';
import type { Engine } from './engine.ts';

/** The filter of system calls as the engine takes it: podman reads a file, docker the text. */
export function seccompOption(engine: Engine, path: string): string {
  const profile = dockerProfile(process.arch);
  if (profile === null) {
    throw new Refusal(`agents need an x86_64 or aarch64 processor, this one is ${process.arch}`);
  }
  const text = JSON.stringify(profile);
  if (!engine.address.podman) return text;
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
