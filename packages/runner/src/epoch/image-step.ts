import { Refusal } from '../executor/executor.ts';
import type { Start } from './starter.ts';

/** Makes the image of the agent ready and tells how far it is. Null where the agent needs none. Throws a Refusal. */
export async function provideImage(start: Start): Promise<string | null> {
  const { executor, image, place, signal } = start;
  const { images } = executor;
  if (images === null) return null;
  if (image === null) {
    throw new Refusal('the agent has no image: give its config one, or set FILEPATH_AGENT_IMAGE');
  }
  let told = false;
  const tell = (state: 'pulling' | 'building' | 'ready', text: string): void => {
    const { last } = start.observed;
    const detail = text.slice(0, 2048);
    if (signal.aborted) return;
    if (last?.type === 'image' && last.state === state && last.detail === detail) return;
    told = true;
    start.observe({ type: 'image', epoch: start.order.epoch, state, detail });
  };
  const name =
    'name' in image
      ? await images.pull(image.name, tell, signal)
      : await images.build(place, image.dockerfile, tell, signal);
  // One that was there already is worth no word, unless a kill came after the last one.
  if (told || start.observed.last?.type === 'image') {
    tell('ready', 'name' in image ? image.name : image.dockerfile);
  }
  return name;
}
