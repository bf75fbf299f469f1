import { z } from 'zod';

export const ChildId = z
  .string()
  .regex(/^th_[A-Za-z0-9]{1,64}$/, 'expected the id of a child, as list_children has it');
