import './by-hand.css';
import { NumberInput, SegmentedControl } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { changeAddress } from '../address/address.ts';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { quoteOf } from '../ui/money.ts';
import { SelectBox } from '../ui/select-box.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { useSubmission } from '../ui/use-submission.ts';
import { Asking } from './asking.tsx';
import { actionText } from './by-hand-words.ts';
import { Outcome } from './outcome.tsx';

/** See `EnterByHand`. */
export interface EnterByHandProps {
  botId: string;
  symbol?: string | undefined; // chosen at first
  onDone: () => void;
}

const pollMs = 1_000;

/** Asks a bot to open a trade now, and shows what has come of it. */
export function EnterByHand({ botId, symbol, onDone }: EnterByHandProps) {
  const bot = useQuery({
    queryKey: ['bot', botId, 'by-hand'],
    queryFn: ({ signal }) => api.getBot({ params: { id: botId } }, { signal }),
    gcTime: 0,
    meta: { what: 'bot' },
  });
  const [askedId, setAskedId] = useState<string | null>(null);
  if (bot.data === undefined)
    return (
      <ConfirmDialog opened title="Enter by Hand" message="" confirmDisabled onConfirm={onDone} onCancel={onDone}>
        {bot.isError ? <p role="alert">Failed to load the bot: {messageOf(bot.error)}</p> : <RowsSkeleton rows={4} />}
      </ConfirmDialog>
    );
  return askedId === null ? (
    <Question bot={bot.data} symbol={symbol} onAsked={setAskedId} onDone={onDone} />
  ) : (
    <Answer botId={botId} actionId={askedId} onAgain={() => setAskedId(null)} onDone={onDone} />
  );
}

type BotOfEntry = Awaited<ReturnType<typeof api.getBot>>;

function Question({
  bot,
  symbol: first,
  onAsked,
  onDone,
}: {
  bot: BotOfEntry;
  symbol: string | undefined;
  onAsked: (actionId: string) => void;
  onDone: () => void;
}) {
  const pairs = bot.trading_pairs;
  const [symbol, setSymbol] = useState(first !== undefined && pairs.includes(first) ? first : (pairs[0] ?? ''));
  const [direction, setDirection] = useState<'long' | 'short'>('long');
  const [stake, setStake] = useState<number | string>(bot.stake_amount);
  const [stop, setStop] = useState<number | string>('');
  const [submission, submit] = useSubmission<'ask'>();
  const amount = Number(stake);
  const isReady = symbol !== '' && stake !== '' && amount > 0 && (stop === '' || Number(stop) > 0);
  const confirm = () =>
    void submit('ask', null, async () => {
      const body = { symbol, direction, stake: amount, stop_price: stop === '' ? null : Number(stop) };
      onAsked((await api.enterByHand({ params: { id: bot.id }, body })).action_id);
    });
  return (
    <Asking
      title="Enter by Hand"
      confirmLabel="Enter"
      note={`${bot.nickname} opens a trade at market now and manages it like its own. Limits and the kill switch hold.`}
      mode={bot.mode}
      exchangeId={bot.exchange_id}
      isReady={isReady}
      submission={submission}
      onConfirm={confirm}
      onCancel={onDone}
      facts={[]}
    >
      <SelectBox label="Trading Pair" options={pairs} value={symbol} onChange={setSymbol} />
      {bot.margin_mode === 'spot' ? null : (
        <SegmentedControl
          aria-label="Direction"
          data={[
            { value: 'long', label: 'Long' },
            { value: 'short', label: 'Short' },
          ]}
          value={direction}
          onChange={(value) => setDirection(value === 'short' ? 'short' : 'long')}
        />
      )}
      <NumberInput
        label={`Stake (${bot.stake_currency})`}
        size="xs"
        min={0}
        clampBehavior="none"
        value={stake}
        onChange={setStake}
        error={stake !== '' && amount > 0 ? null : 'Stake amount must be positive'}
      />
      <NumberInput
        label={`Stop Price (${quoteOf(symbol)})`}
        description="Optional: without it the stop is where the settings of the bot put it. Yours is not moved by the bot."
        size="xs"
        min={0}
        clampBehavior="none"
        value={stop}
        onChange={setStop}
      />
    </Asking>
  );
}

function Answer({ botId, actionId, onAgain, onDone }: { botId: string; actionId: string; onAgain: () => void; onDone: () => void }) {
  const queryClient = useQueryClient();
  const { data } = useQuery({
    queryKey: ['manual-actions', botId],
    queryFn: ({ signal }) => api.manualActions({ params: { id: botId } }, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.actions.find(({ action_id: id }) => id === actionId)?.state === 'waiting' || state.data === undefined ? pollMs : false,
    gcTime: 0,
    meta: { what: 'what was asked' },
  });
  const action = data?.actions.find(({ action_id: id }) => id === actionId);
  const isDone = action?.state === 'done';
  useEffect(() => {
    if (isDone) void queryClient.invalidateQueries({ queryKey: ['metrics', botId] });
  }, [isDone, botId, queryClient]);
  const tradeId = action?.trade_id ?? null;
  return (
    <ConfirmDialog
      opened
      title="Enter by Hand"
      message={action === undefined ? '' : actionText(action)}
      confirmLabel={action?.state === 'refused' ? 'Change It' : 'Show the Trade'}
      cancelLabel="Close"
      confirmDisabled={action === undefined || action.state === 'waiting'}
      onConfirm={() => {
        if (tradeId === null) onAgain();
        else {
          changeAddress({ order: tradeId });
          onDone();
        }
      }}
      onCancel={onDone}
    >
      {action === undefined ? <RowsSkeleton rows={1} /> : <Outcome action={action} />}
    </ConfirmDialog>
  );
}
