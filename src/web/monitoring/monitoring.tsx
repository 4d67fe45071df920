import './monitoring.css';
import { pnlRanges } from '#contract/fields.ts';
import { IconRefresh } from '@tabler/icons-react';
import { Button } from '../ui/button.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import { formatPrice, quoteOf } from '../ui/money.ts';
import { SelectBox } from '../ui/select-box.tsx';
import { ArchivedBot } from './archived-bot.tsx';
import { BackupLine } from './backup-line.tsx';
import { selectBot, selectPair, setPnlRange } from './dashboard-store.ts';
import { MetricsLine } from './metrics-line.tsx';
import { OrderLog } from './order-log.tsx';
import { PnlLine } from './pnl-line.tsx';
import { PnlOverview } from './pnl-overview.tsx';
import { PriceAge } from './price-age.tsx';
import { TradeChart } from './trade-chart.tsx';
import type { Monitoring } from './use-monitoring.ts';
import { useMonitoring } from './use-monitoring.ts';

/** The options of the range selector. */
const ranges = pnlRanges.map((value) => ({ value, label: `${value.charAt(0).toUpperCase()}${value.slice(1)}` }));

/** The Status tab: one bot and one of its pairs, watched. */
export function MonitoringDashboard() {
  const monitoring = useMonitoring();
  const { bot, selectedBotId, selectedPair, pnlRange, pnlData, pnlStart, metrics, priceTick, stopPrice, isLate, showPnl, showOrders } =
    monitoring;
  return (
    <div className="mon">
      {monitoring.archived === null ? null : <ArchivedBot bot={monitoring.archived} />}
      <div className="mon-top">
        <Selectors {...monitoring} />
        {bot === null ? null : <ModeBand mode={bot.mode} exchangeId={bot.exchange_id} />}
        <div className="mon-facts">
          <CurrentPrice {...monitoring} />
          <MetricsLine metrics={metrics} strategy={bot?.strategy_name ?? null} />
        </div>
      </div>
      <div className={rowClass(showPnl, isLate)}>
        <TradeChart {...monitoring} />
        {showPnl ? <PnlOverview {...monitoring} /> : null}
      </div>
      <div className={rowClass(showOrders, isLate)}>
        {showOrders ? (
          <OrderLog
            isSelected={selectedBotId !== null && selectedPair !== null}
            metrics={metrics}
            priceTick={priceTick}
            stopPrice={stopPrice}
          />
        ) : null}
        <PnlLine selectedBotId={selectedBotId} selectedPair={selectedPair} pnlData={pnlData} pnlStart={pnlStart} pnlRange={pnlRange} />
      </div>
      <BackupLine />
    </div>
  );
}

/** A row of panels: two where the one beside the chart is shown, at half strength while the server cannot be reached. */
function rowClass(isBeside: boolean, isLate: boolean): string {
  return ['mon-row', isBeside ? 'mon-row-aside' : '', isLate ? 'mon-late' : ''].filter((name) => name !== '').join(' ');
}

function Selectors({ bots, selectedBotId, pairs, selectedPair, pnlRange, isRefreshing, refresh }: Monitoring) {
  return (
    <div className="mon-selectors">
      <SelectBox
        label="Bot"
        searchable
        placeholder="Select a bot"
        options={(bots ?? []).map(({ id, nickname }) => ({ value: id, label: nickname }))}
        value={selectedBotId}
        onChange={selectBot}
      />
      <SelectBox
        label="Trading Pair"
        searchable
        placeholder="Select a pair"
        options={pairs ?? []}
        value={selectedPair}
        onChange={selectPair}
      />
      <SelectBox label="PnL Range" options={ranges} value={pnlRange} onChange={setPnlRange} />
      <Button variant="secondary" icon={<IconRefresh size={14} aria-hidden />} loading={isRefreshing} onClick={refresh}>
        Refresh
      </Button>
    </div>
  );
}

function CurrentPrice({ currentPrice, selectedPair, priceTick }: Monitoring) {
  return (
    <p className="mon-price fl-number">
      <span>Current Price</span>
      <strong>
        {currentPrice === null || selectedPair === null ? '—' : formatPrice(currentPrice.price, quoteOf(selectedPair), priceTick)}
      </strong>
      {currentPrice === null ? null : <PriceAge price={currentPrice} />}
    </p>
  );
}
