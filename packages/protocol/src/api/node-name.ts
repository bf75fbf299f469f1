import { z } from 'zod';

const LONGEST = 120;
const UNFIT = String.raw`\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069`;
const VISIBLE = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** A name is shown in rows and stored in two databases: it holds no control, direction or half characters. */
export const NodeName = z
  .string()
  .trim()
  .min(1)
  .max(LONGEST)
  .regex(new RegExp(`^[^${UNFIT}]*$`, 'u'), 'expected text without control characters')
  .regex(VISIBLE, 'expected something that can be seen');

const CONTROLS = /\p{Cc}+/gu;
const OTHERS = new RegExp(`[${UNFIT}]`, 'gu');

/** A name by the same rule out of whatever an agent calls its child; null where nothing of it can be seen. */
export function cleanName(said: string): string | null {
  let name = '';
  // What is cut off may be long: no more of it is looked at than a name can come from.
  for (const char of said
    .slice(0, 8 * LONGEST)
    .replace(CONTROLS, ' ')
    .replace(OTHERS, '')
    .trim()) {
    if (name.length + char.length > LONGEST) break;
    name += char;
  }
  name = name.trim();
  return VISIBLE.test(name) ? name : null;
}
