import { useEffect, useRef, useState } from 'react';
import { ApiError, messageOf } from '../api/api-error.ts';
import { isOutage } from '../api/outage.ts';
import type { SendOptions } from '../api/send.ts';
import { UnansweredKeys } from '../api/unanswered-keys.ts';
import { showToast } from '../ui/toast.ts';
import { useSubmission } from '../ui/use-submission.ts';
import { cancelledText, isAbort, untilAborted } from './until-aborted.ts';

/** Something with money that a person asks for and may cancel while it is being sent. */
export interface CancellableCall {
  isBusy: boolean;
  failure: { text: string; detail: string | null } | null;
  isUnsure: boolean; // no answer came to this or to another wish before: it may have been done all the same
  send: () => void;
  cancel: () => void; // while it is sent: nothing goes out any more, and `failure` says what that means; else closes the question
}

/** See `useCancellableCall`. */
export interface CancellableCallOptions<T> {
  name: string; // of the question, e.g. 'Take Out'
  wish?: string; // what is asked for, where a person can change it
  call: (options: SendOptions) => Promise<T>;
  onAnswer: (answer: T) => Promise<void> | void;
  onClose: () => void;
}

const unsureText = "It may have been sent already: check the bot's trades. Asking for the same here again does it only once.";
const earlierText = "What was asked for before may have been sent already: check the bot's trades.";

/**
 * Sends what a question with money asks for. Asked again after a try that nobody answered, the same is done once. Cancelled or left while
 * it is sent, nothing goes out any more; since a request may have arrived before, that is said.
 */
export function useCancellableCall<T>({ name, wish = '', call, onAnswer, onClose }: CancellableCallOptions<T>): CancellableCall {
  const [{ busy, failed }, submit] = useSubmission<'send'>();
  const [keys] = useState(() => new UnansweredKeys());
  const [unanswered, setUnanswered] = useState<readonly string[]>([]);
  const sending = useRef<AbortController | null>(null);
  useEffect(
    () => () => {
      if (sending.current === null) return;
      sending.current.abort();
      showToast('error', `${name}: it may have been sent already. Check the bot's trades.`);
    },
    [name],
  );
  const send = () =>
    void submit('send', null, async () => {
      const abort = new AbortController();
      sending.current = abort;
      const answer = await untilAborted(call({ signal: abort.signal, keys }), abort.signal)
        .catch((error: unknown) => {
          // A refusal is the answer to this wish alone: another one that got none may still have been done.
          setUnanswered((before) => [...before.filter((each) => each !== wish), ...(isNoAnswer(error) ? [wish] : [])]);
          throw error;
        })
        .finally(() => {
          sending.current = null;
        });
      // The question is about to close, and its warning with it.
      if (unanswered.some((each) => each !== wish))
        showToast('error', `${name}: what was asked for before may have been sent already, too. Check the bot's trades.`);
      await onAnswer(answer);
    });
  const cancel = () => {
    if (sending.current !== null) return sending.current.abort();
    if (busy !== null) showToast('error', `${name}: it was accepted already.`);
    onClose();
  };
  const error = failed?.error;
  const isUnsure = failed !== null && unanswered.length > 0;
  const detail = isNoAnswer(error) ? unsureText : earlierText;
  return {
    isBusy: busy !== null,
    failure: failed === null ? null : { text: isAbort(error) ? cancelledText : messageOf(error), detail: isUnsure ? detail : null },
    isUnsure,
    send,
    cancel,
  };
}

function isNoAnswer(error: unknown): boolean {
  return isOutage(error) || !(error instanceof ApiError);
}
