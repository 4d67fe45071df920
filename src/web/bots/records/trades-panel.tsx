import type { Bot } from '#contract/bots.ts';
import { TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDownload, IconListDetails, IconSearch } from '@tabler/icons-react';
import { Fragment, useDeferredValue, useMemo, useState } from 'react';
import { changeAddress } from '../../address/address.ts';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ModeBand } from '../../ui/mode-band.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { SelectBox } from '../../ui/select-box.tsx';
import { RowsSkeleton } from '../../ui/skeleton.tsx';
import type { BotTrade } from '../use-bot-details.ts';
import { Money, tradeColumns } from './trade-columns.tsx';
import { allTrades, matchesTrade, statusOptions, totalOf } from './trade-filter.ts';
import { tradesCsv, tradesFileName } from './trades-csv.ts';
import { CommentsContext, useComments } from './use-comments.ts';

const newestFirst = { key: 'entry_time', descending: true };

/** The height of a row with a comment box in it, in px. */
const rowHeight = 40;

/** See `TradesPanel`. */
export interface TradesPanelProps {
  bot: Pick<Bot, 'id' | 'nickname' | 'stake_currency' | 'mode' | 'exchange_id'>;
  trades: readonly BotTrade[] | undefined;
  isFailed: boolean; // the reason is shown above
}

/** The newest trades of a bot: filtered, sorted, commented on. */
export function TradesPanel({ bot, trades, isFailed }: TradesPanelProps) {
  const isNarrow = useMediaQuery('(max-width: 40em)', false, { getInitialValueInEffect: false });
  const [filter, setFilter] = useState(allTrades);
  const shownFilter = useDeferredValue(filter);
  const shown = useMemo(() => (trades ?? []).filter((trade) => matchesTrade(trade, shownFilter)), [trades, shownFilter]);
  const columns = useMemo(() => tradeColumns(bot.id, isNarrow), [bot.id, isNarrow]);
  const comments = useComments(bot.id);
  return (
    <div className="bots">
      <div className="bot-filters">
        <TextInput
          aria-label="Filter by symbol"
          placeholder="Symbol"
          leftSection={<IconSearch size={14} aria-hidden />}
          value={filter.symbol}
          onChange={(event) => setFilter({ ...filter, symbol: event.currentTarget.value })}
        />
        <SelectBox
          label="Trade status"
          hideLabel
          options={statusOptions}
          value={filter.status}
          onChange={(status) => setFilter({ ...filter, status })}
        />
        <span className="bot-hint">Newest 1000, times in UTC</span>
        <Button
          variant="secondary"
          icon={<IconDownload size={14} aria-hidden />}
          disabled={shown.length === 0}
          onClick={() => saveFile(tradesFileName(bot.nickname, Date.now()), 'text/csv;charset=utf-8', tradesCsv(shown))}
        >
          Export CSV
        </Button>
      </div>
      <section className="fl-panel bot-trades" aria-label="Trades">
        <ModeBand mode={bot.mode} exchangeId={bot.exchange_id} />
        {trades === undefined && !isFailed ? <RowsSkeleton rows={10} height={rowHeight - 6} /> : null}
        {trades !== undefined && shown.length === 0 ? (
          <EmptyState
            icon={<IconListDetails size={22} />}
            text="No trades found"
            hint={trades.length === 0 ? 'The bot has not traded yet.' : 'No trade matches the filters.'}
            minHeight={240}
            {...(trades.length === 0
              ? {}
              : {
                  action: (
                    <Button variant="secondary" onClick={() => setFilter(allTrades)}>
                      Show All Trades
                    </Button>
                  ),
                })}
          />
        ) : null}
        {shown.length > 0 ? (
          <CommentsContext value={comments}>
            <DataTable
              label="Trades"
              long
              rowHeight={rowHeight}
              maxHeight={Math.min(640, 32 + shown.length * rowHeight)}
              columns={columns}
              rows={shown}
              rowKey={(trade) => trade.trade_id}
              sortedBy={newestFirst}
              onSelect={openOrders}
            />
            <TradesTotal shown={shown} count={trades?.length ?? 0} currency={bot.stake_currency} />
          </CommentsContext>
        ) : null}
      </section>
    </div>
  );
}

/** A row opens the orders of its trade. */
function openOrders({ trade_id: id }: BotTrade): void {
  changeAddress({ order: id });
}

function TradesTotal({ shown, count, currency }: { shown: readonly BotTrade[]; count: number; currency: string }) {
  const { closed, won, pnl } = totalOf(shown);
  return (
    <p className="bot-total fl-number">
      {shown.length === count ? `Total of ${count} trades` : `Total of the filter, ${shown.length} of ${count} trades`}: {closed} closed,{' '}
      {won} won, {pnl.size === 0 ? <Money amount={0} currency={currency} /> : null}
      {[...pnl].map(([each, amount], place) => (
        <Fragment key={each}>
          {place === 0 ? null : ' and '}
          <Money amount={amount} currency={each} />
        </Fragment>
      ))}{' '}
      after fees
    </p>
  );
}
