import { useEffect, useRef } from 'react';
import { showToast } from '../ui/toast.ts';
import { cancelledText, untilAborted } from './until-aborted.ts';

/** What is sent for a question that a person may cancel meanwhile. */
export interface Sending {
  send: <T>(calls: (signal: AbortSignal) => Promise<T>) => Promise<T>; // fails with an abort as soon as it is cancelled
  cancel: () => boolean; // whether something was being sent, of which nobody knows what became of it
}

/**
 * Sends what a question asks for, until it is answered or cancelled: then nothing goes out any more. With `whenLeft`, which says what may have
 * become of it, that happens to a question that is closed or left, too.
 */
export function useSending(whenLeft?: string): Sending {
  const underWay = useRef<AbortController | null>(null);
  useEffect(
    () => () => {
      if (whenLeft === undefined || underWay.current === null) return;
      underWay.current.abort();
      showToast('error', `${cancelledText} ${whenLeft}`);
    },
    [whenLeft],
  );
  const send = async <T>(calls: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const abort = new AbortController();
    underWay.current = abort;
    return untilAborted(calls(abort.signal), abort.signal).finally(() => {
      underWay.current = null;
    });
  };
  const cancel = () => {
    underWay.current?.abort();
    return underWay.current !== null;
  };
  return { send, cancel };
}
