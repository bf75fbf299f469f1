// A vitest reporter: how many tests of each project passed and failed, as JSON in FILEPATH_COUNTS.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const projects = {};
    for (const module of modules) {
      const counts = (projects[module.project.name] ??= { passed: 0, failed: 0, messages: [] });
      let tests = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        tests += 1;
        if (state === 'passed') counts.passed += 1;
        else {
          counts.failed += 1;
          counts.messages.push(`${state}: ${test.fullName} in ${where(module)}${why(test)}`);
        }
      }
      // A file that could not be loaded, or that has no test in it.
      const broken = module.state() === 'failed' && module.errors().length > 0;
      if (tests === 0 || broken) {
        counts.failed += 1;
        counts.messages.push(`${tests === 0 ? 'no test ran' : 'failed'} in ${where(module)}`);
      }
    }
    const result = { projects, unhandledErrors: unhandledErrors.length };
    writeFileSync(process.env.FILEPATH_COUNTS, JSON.stringify(result));
  }
}

function where(module) {
  return relative(process.cwd(), module.moduleId);
}

/** The beginning of what a test failed with: the whole is far above, where it ran. */
function why(test) {
  const [error] = test.result().errors ?? [];
  if (error === undefined) return '';
  const place = error.stacks?.[0];
  const line = place === undefined ? '' : ` (${relative(process.cwd(), place.file)}:${place.line})`;
  const text = `${error.message}\n${error.diff ?? ''}`.trim().slice(0, 1500);
  return `${line}\n${text.replaceAll(/^/gmu, '      ')}`;
}
