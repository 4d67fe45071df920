import type { MarketHistory } from '#contract/packed-history.ts';
import type { WhatIfTrade } from '#engine/lab/what-if/what-if-report.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { useMediaQuery } from '@mantine/hooks';
import { memo, useMemo, useState } from 'react';
import { chartColors, chartHeight } from '../../chart/chart-style.ts';
import { Legend } from '../../chart/legend.tsx';
import { replayCandles } from '../../chart/replay-candles.ts';
import { ReplayChart } from '../../chart/replay-chart.tsx';
import { differenceColors } from '../../chart/replay-trades.ts';
import { CardPanel } from '../../ui/card-panel.tsx';
import { SelectBox } from '../../ui/select-box.tsx';
import { drawnTrades, walkOf } from './drawn-trades.ts';
import { TradeWalk } from './trade-walk.tsx';
import type { WhatIfSetup } from './replay/messages.ts';

/** See `TradedCandles`. */
export interface TradedCandlesProps {
  setup: WhatIfSetup;
  history: MarketHistory;
  symbol: string;
  real: readonly WhatIfTrade[];
  whatIf: readonly WhatIfTrade[];
  onSymbol: (symbol: string) => void;
}

const nothing: [] = [];

/** The height of the chart where the sliders stand beside it, in px. */
const wideHeight = chartHeight + 150;

const noCursor = (): void => undefined;

/** The candles of a pair with the trades of the changes, and dotted how it really went. */
export const TradedCandles = memo(function TradedCandles({ setup, history, symbol, real, whatIf, onSymbol }: TradedCandlesProps) {
  const { timeframe, from, to, pairs } = setup;
  const isWide = useMediaQuery('(min-width: 1100px)', true, { getInitialValueInEffect: false });
  const candles = useMemo(() => replayCandles(history.candles, from, to, timeframeLengths[timeframe]), [history, from, to, timeframe]);
  const trades = useMemo(() => drawnTrades(real, whatIf, symbol), [real, whatIf, symbol]);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const walk = useMemo(() => walkOf(trades), [trades]);
  const chosen = walk.trades.find(({ id }) => id === chosenId) ?? null;
  return (
    <CardPanel
      title="Trades"
      aside={
        <>
          {pairs.length < 2 ? (
            <span>{symbol}</span>
          ) : (
            <SelectBox label="Pair" hideLabel searchable value={symbol} options={pairs} onChange={onSymbol} />
          )}
          <TradeWalk walk={walk} chosen={chosen} onChoose={({ id }) => setChosenId(id)} />
          <Legend
            marks={[
              ['━', 'what if', chartColors.long],
              ['━', 'only what if', differenceColors.added],
              ['╍', 'real', differenceColors.removed],
            ]}
            timeframe={timeframe}
          />
        </>
      }
      flush
    >
      <ReplayChart
        label={`Candles of ${symbol} with the trades of both`}
        candles={candles}
        priceTick={history.instrument.priceTick}
        trades={trades}
        chosen={chosen}
        lines={nothing}
        strips={nothing}
        cursor={null}
        onCursor={noCursor}
        height={isWide ? wideHeight : chartHeight}
      />
    </CardPanel>
  );
});
