import './why.css';
import { SegmentedControl } from '@mantine/core';
import { IconChevronLeft, IconFlask, IconListSearch } from '@tabler/icons-react';
import { useEffect } from 'react';
import { changeAddress, useAddressValue } from '../address/address.ts';
import { messageOf } from '../api/api-error.ts';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { DecisionTable } from './decision-table.tsx';
import { Funnel } from './funnel.tsx';
import { whole } from '../live/count-words.ts';
import { funnelSentence, hasNoMore } from './funnel-words.ts';
import { RefusedReplay } from './refused-replay.tsx';
import { useDecisions } from './use-decisions.ts';
import { useReplay } from './use-replay.ts';

const periods = [
  { value: '1', label: '24 hours' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
];

/** Why a bot did or did not trade: the answer in a sentence, what each check refused, and every decision. */
export function WhyPage({ botId, onLeave }: { botId: string; onLeave: () => void }) {
  const wanted = useAddressValue('days');
  const days = periods.find(({ value }) => value === wanted)?.value ?? '1';
  const symbol = useAddressValue('symbol');
  const show = useAddressValue('gate');
  const { list, data, bot } = useDecisions(botId, { days: Number(days), symbol, show });
  const replay = useReplay(botId, { days: Number(days), symbol, show });
  const maxOpenTrades = bot?.max_open_trades;
  const funnels = data?.pages[0]?.funnels ?? null;
  const nearest = data?.pages[0]?.nearest ?? null;
  const decisions = data?.pages.flatMap((page) => page.decisions) ?? [];
  useEffect(() => {
    window.scrollTo(0, 0);
  }, []);
  return (
    <div className="why">
      <header className="why-head">
        <Button variant="ghost" icon={<IconChevronLeft size={16} aria-hidden />} onClick={onLeave}>
          Back
        </Button>
        <h1>{bot === undefined ? 'Why It Did or Did Not Trade' : `Why ${bot.nickname} Did or Did Not Trade`}</h1>
        {replay === null ? <WhatIfButton botId={botId} days={days} /> : null}
      </header>
      {funnels !== null ? (
        <div className="why-columns">
          <section className="fl-panel why-answer" aria-label="Answer">
            {hasNoMore(funnels) ? (
              <p>{funnelSentence('Last hour and day', funnels.hour, maxOpenTrades, nearest?.hour)}</p>
            ) : (
              <>
                <p>{funnelSentence('Last hour', funnels.hour, maxOpenTrades, nearest?.hour)}</p>
                <p>{funnelSentence('Last day', funnels.day, maxOpenTrades, nearest?.day)}</p>
              </>
            )}
          </section>
          <Funnel
            funnel={funnels.range}
            maxOpenTrades={maxOpenTrades}
            show={show}
            onShow={(next) => changeAddress({ gate: next === show ? null : next })}
          />
        </div>
      ) : null}
      {replay === null ? null : <RefusedReplay replay={replay} more={<WhatIfButton botId={botId} days={days} />} />}
      <CardPanel
        title="Decisions"
        flush
        aside={
          <div className="why-filters">
            <SelectBox
              label="Pair"
              hideLabel
              searchable
              value={symbol ?? ''}
              options={[{ value: '', label: 'All pairs' }, ...pairsOf(bot?.trading_pairs ?? [], symbol)]}
              onChange={(next) => changeAddress({ symbol: next })}
            />
            <SegmentedControl
              size="xs"
              aria-label="Period"
              data={periods}
              value={days}
              onChange={(next) => changeAddress({ days: next === '1' ? null : next })}
            />
            {show === null ? null : (
              <Button variant="secondary" onClick={() => changeAddress({ gate: null })}>
                Show All
              </Button>
            )}
          </div>
        }
      >
        {list.isError ? (
          <FailedLoad
            text="Failed to load the decisions"
            detail={messageOf(list.error)}
            isLoading={list.isFetching}
            onRetry={() => void (data === undefined ? list.refetch() : list.fetchNextPage())}
          />
        ) : null}
        {data === undefined ? (
          list.isError ? null : (
            <LoadingRows label="Loading decisions" rows={10} />
          )
        ) : decisions.length === 0 ? (
          <EmptyState
            icon={<IconListSearch size={22} />}
            text={show === null ? 'No candle was decided in this time' : 'No candle of this kind in this time'}
            hint={show === null ? 'A bot decides when a candle closes; a stopped one does not.' : 'Choose another step, pair or period.'}
            minHeight={200}
          />
        ) : (
          <>
            <DecisionTable decisions={decisions} maxOpenTrades={maxOpenTrades} replayed={replay?.reply?.replay?.entries ?? null} />
            <nav className="fl-pager" aria-label="Pages of decisions">
              <span role="status">Newest {whole(decisions.length)} decisions</span>
              <Button variant="secondary" disabled={!list.hasNextPage} loading={list.isFetching} onClick={() => void list.fetchNextPage()}>
                Older
              </Button>
            </nav>
          </>
        )}
      </CardPanel>
    </div>
  );
}

/** The way to the replay of the bot with other settings: beside the replay of refused entries where there is one. */
function WhatIfButton({ botId, days }: { botId: string; days: string }) {
  return (
    <Button variant="ghost" icon={<IconFlask size={16} aria-hidden />} onClick={() => openWhatIf(botId, days)}>
      Open in What-If
    </Button>
  );
}

/** Opens the replay of the bot, with the entries that the chosen check has refused beside it. */
function openWhatIf(botId: string, days: string): void {
  changeAddress({ tab: 'backtest', view: 'what-if', bot: botId, run: null, why: null, trade: null, order: null, days: null, period: days });
}

/** The pairs to choose from; one that was chosen by a link stays, also when the bot has left it. */
function pairsOf(pairs: readonly string[], chosen: string | null): { value: string; label: string }[] {
  return [...new Set(chosen === null ? pairs : [...pairs, chosen])].map((pair) => ({ value: pair, label: pair }));
}
