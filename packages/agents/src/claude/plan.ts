import type { AgentEvent } from '@filepath/protocol';
import { z } from 'zod';

type Steps = Extract<AgentEvent, { type: 'plan' }>['steps'];

const Todos = z.looseObject({
  todos: z.array(
    z.looseObject({
      content: z.string().optional(),
      task: z.string().optional(),
      status: z.string().optional(),
    }),
  ),
});
const Create = z.looseObject({ subject: z.string() });
const Update = z.looseObject({
  taskId: z.string(),
  status: z.string().optional(),
  subject: z.string().optional(),
});

/** The plan behind the tools by which a CLI keeps its list of things to do. */
export class Plan {
  #tasks: { title: string; status: string }[] = [];

  /** The steps after the call, or null if it is no call of the plan. */
  after(tool: string, input: unknown): Steps | null {
    switch (tool) {
      case 'TodoWrite':
      case 'todo_write': {
        const todos = Todos.safeParse(input);
        if (!todos.success) return null;
        this.#tasks = todos.data.todos.map((todo) => ({
          title: todo.content ?? todo.task ?? '',
          status: todo.status ?? 'pending',
        }));
        return this.#steps();
      }
      case 'TaskCreate': {
        const task = Create.safeParse(input);
        if (!task.success) return null;
        this.#tasks.push({ title: task.data.subject, status: 'pending' });
        return this.#steps();
      }
      case 'TaskUpdate': {
        const change = Update.safeParse(input);
        // The CLI numbers its tasks from one.
        const task = change.success ? this.#tasks[Number(change.data.taskId) - 1] : undefined;
        if (!change.success || !task) return null;
        task.status = change.data.status ?? task.status;
        task.title = change.data.subject ?? task.title;
        return this.#steps();
      }
      default:
        return null;
    }
  }

  #steps(): Steps {
    return this.#tasks
      .filter((task) => task.status !== 'deleted')
      .map(({ title, status }) => ({ title, status: WORDS[status] ?? 'pending' }));
  }
}

const WORDS: Record<string, 'pending' | 'active' | 'done' | 'error'> = {
  pending: 'pending',
  in_progress: 'active',
  completed: 'done',
  cancelled: 'error',
};
