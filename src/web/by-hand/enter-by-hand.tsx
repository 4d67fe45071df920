import './by-hand.css';
import type { CallInput } from '#contract/client.ts';
import { NumberInput, SegmentedControl } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { changeAddress } from '../address/address.ts';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { useCancellableCall } from '../live/use-cancellable-call.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { quoteOf } from '../ui/money.ts';
import { SelectBox } from '../ui/select-box.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import type { Sent, Wish } from './asked-by-me.ts';
import { askedByMe } from './asked-by-me.ts';
import { Asking } from './asking.tsx';
import type { ManualAction } from './by-hand-words.ts';
import { actionText } from './by-hand-words.ts';
import { Outcome } from './outcome.tsx';
import { useManualActions } from './use-manual-actions.ts';

/** See `EnterByHand`. */
export interface EnterByHandProps {
  botId: string;
  symbol?: string | undefined; // chosen at first
  onDone: () => void;
}

/** The entry that is asked for. */
type Entry = CallInput<'enterByHand'>['body'];

/** Asks a bot to open a trade now, and shows what has come of it. */
export function EnterByHand({ botId, symbol, onDone }: EnterByHandProps) {
  const bot = useQuery({
    queryKey: ['bot', botId, 'by-hand'],
    queryFn: ({ signal }) => api.getBot({ params: { id: botId } }, { signal }),
    gcTime: 0,
    meta: { what: 'bot' },
  });
  const [askedId, setAskedId] = useState<string | null>(null);
  const [entry, setEntry] = useState<Entry | null>(null); // as it was last asked for
  if (bot.data === undefined)
    return (
      <ConfirmDialog opened title="Enter by Hand" message="" confirmDisabled onConfirm={onDone} onCancel={onDone}>
        {bot.isError ? <p role="alert">Failed to load the bot: {messageOf(bot.error)}</p> : <RowsSkeleton rows={4} />}
      </ConfirmDialog>
    );
  const { trading_pairs: pairs, stake_amount: stake } = bot.data;
  const pair = symbol !== undefined && pairs.includes(symbol) ? symbol : (pairs[0] ?? '');
  return askedId === null ? (
    <Question
      bot={bot.data}
      first={entry ?? { symbol: pair, direction: 'long', stake, stop_price: null }}
      onAsked={(actionId, sent) => {
        setEntry(sent);
        setAskedId(actionId);
      }}
      onDone={onDone}
    />
  ) : (
    <Answer botId={botId} actionId={askedId} onAgain={() => setAskedId(null)} onDone={onDone} />
  );
}

/** See `Question`. */
interface QuestionProps {
  bot: Awaited<ReturnType<typeof api.getBot>>;
  first: Entry; // what stands in the fields at first
  onAsked: (actionId: string, entry: Entry) => void;
  onDone: () => void;
}

function Question({ bot, first, onAsked, onDone }: QuestionProps) {
  const [symbol, setSymbol] = useState(first.symbol);
  const [direction, setDirection] = useState(first.direction);
  const [stake, setStake] = useState<number | string>(first.stake);
  const [stop, setStop] = useState<number | string>(first.stop_price ?? '');
  const amount = Number(stake);
  const isReady = symbol !== '' && stake !== '' && amount > 0 && (stop === '' || Number(stop) > 0);
  const entry = { symbol, direction, stake: amount, stop_price: stop === '' ? null : Number(stop) };
  const asked = useCancellableCall({
    name: 'Enter by Hand',
    call: (options) => api.enterByHand({ params: { id: bot.id }, body: entry }, options),
    onAnswer: ({ action_id: id }) => onAsked(id, entry),
    onClose: onDone,
  });
  const { isUnsure } = asked;
  // Where no answer came, the bot says whether it was asked all the same: by an entry like this one that was not there before.
  const actions = useManualActions(bot.id, () => isUnsure).data?.actions;
  const sent = useRef<Sent | null>(null); // null: what had been asked for before is not known
  const send = () => {
    const wish: Wish = { kind: 'enter', ...entry };
    const first = actions === undefined ? null : { wishes: [], before: actions };
    const before = isUnsure ? sent.current : first;
    sent.current = before === null ? null : { ...before, wishes: [...before.wishes, wish] };
    asked.send();
  };
  useEffect(() => {
    const arrived = !isUnsure || actions === undefined || sent.current === null ? null : askedByMe(actions, sent.current);
    if (arrived !== null) onAsked(arrived.action_id, entryOf(arrived));
  }, [isUnsure, actions, onAsked]);
  return (
    <Asking
      title="Enter by Hand"
      confirmLabel="Enter"
      note={`${bot.nickname} opens a trade at market now and manages it like its own. Limits and the kill switch hold.`}
      mode={bot.mode}
      exchangeId={bot.exchange_id}
      isReady={isReady}
      asked={{ ...asked, send }}
      facts={[]}
    >
      <SelectBox label="Trading Pair" options={bot.trading_pairs} value={symbol} onChange={setSymbol} />
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

function entryOf({ symbol, direction, stake, stop_price }: ManualAction): Entry {
  return { symbol, direction: direction ?? 'long', stake: stake ?? 0, stop_price };
}

function Answer({ botId, actionId, onAgain, onDone }: { botId: string; actionId: string; onAgain: () => void; onDone: () => void }) {
  const queryClient = useQueryClient();
  const { data } = useManualActions(botId, (known) => {
    const state = known?.actions.find(({ action_id: id }) => id === actionId)?.state;
    return state === undefined || state === 'waiting'; // what was there before does not have it yet
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
