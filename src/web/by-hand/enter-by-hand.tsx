import './by-hand.css';
import { otherMode } from '#contract/bots.ts';
import type { CallInput } from '#contract/client.ts';
import { texts } from '#contract/errors.ts';
import { NumberInput, SegmentedControl } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { changeAddress } from '../address/address.ts';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import type { CancellableCall } from '../live/use-cancellable-call.ts';
import { useCancellableCall } from '../live/use-cancellable-call.ts';
import { usePairPrice } from '../live/use-open-profit.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { formatAmount, quoteOf } from '../ui/money.ts';
import { SelectBox } from '../ui/select-box.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import type { Sent, Wish } from './asked-by-me.ts';
import { askedByMe } from './asked-by-me.ts';
import { Asking } from './asking.tsx';
import type { ManualAction } from './by-hand-words.ts';
import { actionText } from './by-hand-words.ts';
import { CurrentPrice } from './current-price.tsx';
import { Outcome } from './outcome.tsx';
import { stopFacts } from './stop-facts.tsx';
import type { StopMeaning } from './stop-loss-facts.ts';
import { farOffText, isFarOff } from './stop-loss-facts.ts';
import { useManualActions } from './use-manual-actions.ts';
import { useStopMeaning } from './use-stop-meaning.ts';

/** See `EnterByHand`. */
export interface EnterByHandProps {
  botId: string;
  symbol?: string | undefined; // chosen at first
  onDone: () => void;
}

/** The entry that is asked for. */
type Entry = Omit<CallInput<'enterByHand'>['body'], 'mode'>;

/** The bot of the question, as it was last loaded. */
type BotOfQuestion = Awaited<ReturnType<typeof api.getBot>>;

/** What a bot answers that is another one by now than the one that was confirmed, and what is said of it. */
const changes: Readonly<Record<string, string>> = {
  [otherMode]: 'The mode of this bot was changed meanwhile: nothing was entered.',
  [texts.changedMeanwhile]: 'The settings of this bot were changed meanwhile: nothing was entered.',
};

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
  const { trading_pairs: pairs } = bot.data;
  const pair = symbol !== undefined && pairs.includes(symbol) ? symbol : (pairs[0] ?? '');
  return askedId === null ? (
    <Question
      bot={bot.data}
      loading={bot}
      first={entry ?? { symbol: pair, direction: 'long', stake: null, stop_price: null }}
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
  bot: BotOfQuestion;
  loading: Pick<UseQueryResult, 'isFetching' | 'error' | 'refetch'>; // of the bot
  first: Omit<Entry, 'stake'> & { stake: number | null }; // what stands in the fields at first; without a stake that of the bot
  onAsked: (actionId: string, entry: Entry) => void;
  onDone: () => void;
}

function Question({ bot, loading, first, onAsked, onDone }: QuestionProps) {
  const { stake_currency: currency, margin_mode: marketType } = bot;
  const [chosen, setSymbol] = useState(first.symbol);
  const [wanted, setDirection] = useState(first.direction);
  const [typed, setTyped] = useState<{ stake: number | string; currency: string } | null>(
    first.stake === null ? null : { stake: first.stake, currency },
  );
  const [stop, setStop] = useState<number | string>(first.stop_price ?? '');
  // The bot may have been loaded again since: an amount in another currency means nothing, and another pair is for the person to choose.
  const symbol = bot.trading_pairs.includes(chosen) ? chosen : '';
  const direction = marketType === 'spot' ? 'long' : wanted;
  const stake = typed?.currency === currency ? typed.stake : bot.stake_amount;
  const amount = Number(stake);
  const leverage = marketType === 'spot' ? 1 : bot.leverage;
  const price = usePairPrice(bot.id, symbol === '' ? null : symbol);
  const held = price === null || price.price === null ? 0 : (amount * leverage) / price.price;
  const meaning = useStopMeaning({ direction, amount: held }, price === null ? null : { ...price, unrealizedPnl: 0 }, Number(stop));
  const stopProblem = stop === '' ? null : problemOf(Number(stop), meaning, price?.price ?? null);
  const isReady = symbol !== '' && stake !== '' && amount > 0 && stopProblem === null && !loading.isFetching;
  const entry = { symbol, direction, stake: amount, stop_price: stop === '' ? null : Number(stop) };
  const asked = useCancellableCall({
    name: 'Enter by Hand',
    wish: JSON.stringify(entry),
    call: async (options) => {
      try {
        const body = { ...entry, mode: bot.mode };
        return await api.enterByHand({ params: { id: bot.id }, body }, { ...options, version: bot.version });
      } catch (error) {
        if (messageOf(error) in changes) void loading.refetch();
        throw error;
      }
    },
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
      asked={{ ...asked, failure: failureNow(asked.failure, loading), send }}
      facts={[
        ['Current price', <CurrentPrice key="price" open={price} trade={{ symbol, price_tick: price?.priceTick ?? null }} />],
        ...(marketType === 'spot' ? [] : [['Leverage', `${formatAmount(leverage)}x`] as const]),
        ...(stop === '' ? [] : stopFacts(meaning, currency, 'before fees')),
      ]}
    >
      <SelectBox
        label="Trading Pair"
        options={bot.trading_pairs}
        value={symbol === '' ? null : symbol}
        onChange={(pair) => {
          setStop(''); // it was a price of another market
          setSymbol(pair);
        }}
      />
      {marketType === 'spot' ? null : (
        <SegmentedControl
          aria-label="Direction"
          data={[
            { value: 'long', label: 'Long' },
            { value: 'short', label: 'Short' },
          ]}
          value={direction}
          onChange={(value) => {
            setStop(''); // it was on the other side of the price
            setDirection(value === 'short' ? 'short' : 'long');
          }}
        />
      )}
      <NumberInput
        label={`Stake (${currency})`}
        size="xs"
        min={0}
        clampBehavior="none"
        value={stake}
        onChange={(value) => setTyped({ stake: value, currency })}
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
        error={stopProblem}
      />
    </Asking>
  );
}

/** Why a stop cannot be asked for; null when it can. */
function problemOf(stop: number, meaning: StopMeaning | null, price: number | null): string | null {
  if (!(stop > 0)) return 'Stop price must be positive';
  if (isFarOff(stop, price)) return farOffText;
  return meaning?.isBeyond === true ? 'The price has passed it already.' : null;
}

/** What is said of a try that failed: of a bot that is another one by now also whether it is shown as it is. */
function failureNow(failure: CancellableCall['failure'], { isFetching, error }: QuestionProps['loading']): CancellableCall['failure'] {
  const text = failure === null ? undefined : changes[failure.text];
  if (text === undefined) return failure;
  const shown =
    error === null ? 'It is shown as it is now. Check it before you enter.' : `It could not be loaded again: ${messageOf(error)}`;
  const now = isFetching ? 'It is being loaded again.' : shown;
  const warning = failure?.detail ?? null;
  return { text, detail: warning === null ? now : `${now} ${warning}` };
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
