import { redactorOf } from '@filepath/protocol';

/** Replaces known secret values. */
export class Redactor {
  readonly redact: (text: string) => string;

  constructor(secrets: Iterable<string>) {
    this.redact = redactorOf(secrets);
  }
}
