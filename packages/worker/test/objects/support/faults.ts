import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { vi } from 'vitest';

type Object = Rpc.DurableObjectBranded;

/**
 * Fires what an object's alarm holds, as if its time had come, and resolves when all of it was tried. An alarm of the
 * object's own may be under way: it has read what is due before, so that only what it leaves tells.
 */
export async function fireAlarm<T extends Object>(stub: DurableObjectStub<T>): Promise<void> {
  await inStorage(stub, ({ sql }) => {
    sql.exec('UPDATE alarms SET at = 1');
  });
  do await runDurableObjectAlarm(stub);
  while (await inStorage(stub, ({ sql }) => isDue(sql)));
}

const isDue = (sql: SqlStorage): boolean =>
  sql.exec('SELECT name FROM alarms WHERE at = 1').toArray().length > 0;

/** What the object's alarm is to do, by name. */
export function alarmsOf<T extends Object>(stub: DurableObjectStub<T>): Promise<string[]> {
  return inStorage(stub, ({ sql }) =>
    sql
      .exec<{ name: string }>('SELECT name FROM alarms ORDER BY name')
      .toArray()
      .map(({ name }) => name),
  );
}

/** Runs in the object, beside what it does itself. */
export function inStorage<T extends Object, R>(
  stub: DurableObjectStub<T>,
  work: (storage: DurableObjectStorage) => R,
): Promise<R> {
  return runInDurableObject(stub as unknown as DurableObjectStub, (_, state) =>
    work(state.storage),
  );
}

type Method = (...given: unknown[]) => unknown;

/** Makes a method of a class of objects fail, where `broken` says so. */
export function breakMethod<T extends object>(
  prototype: T,
  name: keyof T & string,
  broken: (name: string | undefined, given: readonly unknown[]) => boolean = () => true,
): { readonly calls: readonly unknown[][] } {
  const real = Reflect.get(prototype, name) as Method;
  const { mock } = vi.spyOn(prototype as Record<string, Method>, name).mockImplementation(function (
    this: unknown,
    ...given
  ) {
    const { id } = Reflect.get(this as object, 'ctx') as DurableObjectState;
    if (broken(id.name, given)) throw new Error('out of reach');
    return Reflect.apply(real, this, given);
  });
  return mock;
}
