import { useState } from 'react';
import type { Issue } from './first-issue.ts';

/** What a form shows of its newest submission; a form has one button or two, each with a name. */
export interface Submission<Button extends string> {
  busy: Button | null; // the button whose call is under way
  issue: Issue | null; // the check that failed, so that nothing was sent
  failed: { button: Button; error: unknown } | null; // the call that failed
  notice: string | null; // the news of a call that succeeded, or of the screen before
}

/**
 * Submits a form: shows a failed check and sends nothing, else makes the call and shows how it went. What the form showed
 * before is cleared.
 */
export type Submit<Button extends string> = (button: Button, issue: Issue | null, call: () => Promise<string | void>) => Promise<void>;

/** The submission of a form, and how to submit it. The text that a call returns becomes the notice. */
export function useSubmission<Button extends string>(noticeBefore: string | null = null): [Submission<Button>, Submit<Button>] {
  const [submission, setSubmission] = useState<Submission<Button>>({ busy: null, issue: null, failed: null, notice: noticeBefore });
  const submit: Submit<Button> = async (button, issue, call) => {
    const cleared = { busy: null, issue, failed: null, notice: null };
    setSubmission(cleared);
    if (issue !== null) return;
    setSubmission({ ...cleared, busy: button });
    try {
      const notice = (await call()) ?? null;
      setSubmission({ ...cleared, notice });
    } catch (error) {
      setSubmission({ ...cleared, failed: { button, error } });
    }
  };
  return [submission, submit];
}
