import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertToLlm, SessionManager } from '@earendil-works/pi-coding-agent';

/** The session as pi itself opens it. */
export function openedByPi(text: string, dir: string): SessionManager {
  const file = join(dir, '2026-03-01T12-00-00-000Z_chat.jsonl');
  writeFileSync(file, text);
  return SessionManager.open(file, dir);
}

export type PiSaid = { role: string; content: unknown };

/** What pi sends a model of it. */
export const piMessages = (session: SessionManager): PiSaid[] =>
  convertToLlm(session.buildSessionContext().messages) as unknown as PiSaid[];
