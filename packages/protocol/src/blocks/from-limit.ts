import { z } from 'zod';
import { SystemLimit } from '../thread/limit.ts';
import type { Base, NoticeBlock } from './block.ts';

const Limit = z.looseObject(SystemLimit.shape);

/** A limit that an agent waits for; null for another body. */
export function limitBlock(base: Base, body: unknown): NoticeBlock | null {
  const { data } = Limit.safeParse(body);
  if (data === undefined) return null;
  const when =
    data.over === true ? 'at once: the limit is over' : 'by itself when the limit is over';
  const detail = data.ended ? `Its run ended by that. It goes on ${when}.` : null;
  return { ...base, kind: 'notice', level: 'warn', text: data.reason, detail };
}

/** Whether a process ends by what the control plane says here, and another goes on with what it knows. */
export const endsByLimit = (body: unknown): boolean => Limit.safeParse(body).data?.ended === true;
