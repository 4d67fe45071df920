import { messageOf } from '../api/api-error.ts';
import type { Submission } from '../ui/use-submission.ts';
import { signInTone } from './message-tone.ts';

/**
 * The two lines below the fields of sign-in and sign-up. A general failure says nothing about what was typed: it stands in
 * the line of messages, where it marks no field as wrong.
 */
export function linesOf(
  { issue, failed, notice }: Submission<string>,
  textOf: (error: unknown) => string = messageOf,
): { error: string | null; message: string | null } {
  const text = failed === null ? null : textOf(failed.error);
  if (text !== null && signInTone(text) === 'error') return { error: null, message: text };
  return { error: issue?.text ?? text, message: notice };
}
