import { useQueryClient } from '@tanstack/react-query';
import { tradeOrdersKey } from '../live/use-trade-orders.ts';
import type { Submission } from '../ui/use-submission.ts';
import { useSubmission } from '../ui/use-submission.ts';

/** Asks for something of a trade by hand: after it was taken in, the trade is loaded again, and `onDone` is called. */
export function useAsking(tradeId: string, call: () => Promise<unknown>, onDone: () => void): [Submission<'ask'>, () => void] {
  const queryClient = useQueryClient();
  const [submission, submit] = useSubmission<'ask'>();
  const ask = () =>
    void submit('ask', null, async () => {
      await call();
      await queryClient.invalidateQueries({ queryKey: tradeOrdersKey(tradeId) });
      onDone();
    });
  return [submission, ask];
}
