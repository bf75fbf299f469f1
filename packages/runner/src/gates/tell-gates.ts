import { GATE_ATTEMPTS, namedCommands } from '@filepath/protocol';
import type { Start } from '../epoch/starter.ts';
import { declaredGates, keepGates } from './gates-file.ts';
import { unknownGates } from './unknown-gates.ts';

/** Tells which gates hold for this epoch, before its process can claim anything. Told once, and only where there are any. */
export async function tellGates(start: Start, fresh: boolean): Promise<void> {
  const { order, place, observed } = start;
  const parent = order.parent === undefined ? null : start.placeOf(order.parent.thread);
  if (fresh) await keepGates(place, parent);
  if (observed.all().some((body) => body?.type === 'gates')) return;
  const own = order.config.gates;
  const { gates, problem } =
    own === undefined ? declaredGates(place) : { gates: own, problem: null };
  const from = own === undefined ? 'repository' : 'node';
  const { epoch } = order;
  if (problem !== null) {
    // The agent cannot mend what was declared before it began: that goes to a person.
    const { name, tail } = unknownGates(problem);
    const commands = [{ name, command: start.redact(tail).slice(0, 1024) }];
    return start.observe({ type: 'gates', epoch, from, commands, attempts: 0 });
  }
  if (gates === null) return;
  const commands = namedCommands(gates).map(({ name, command }) => ({
    name,
    command: start.redact(command).slice(0, 1024),
  }));
  const { attempts = GATE_ATTEMPTS } = gates;
  start.observe({ type: 'gates', epoch, from, commands, attempts });
}
