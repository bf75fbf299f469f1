import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';

type Object = Rpc.DurableObjectBranded;

/** Fires what an object's alarm holds, as if its time had come. */
export async function fireAlarm<T extends Object>(stub: DurableObjectStub<T>): Promise<void> {
  await inStorage(stub, (storage) => {
    storage.sql.exec('UPDATE alarms SET at = 1');
  });
  await runDurableObjectAlarm(stub);
}

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
