import { createLiteclaw } from '@filepath/client';

/** Apart from the rest, which every page loads. */
export const { liteclaw } = createLiteclaw();
