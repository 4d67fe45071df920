import { tradingModes } from '#contract/backtests.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { memo } from 'react';
import { SelectBox } from '../../../ui/select-box.tsx';
import { chooseMarket, daysAt, daysFor } from '../replay/market-choice.ts';
import type { MarketOffer } from '../replay/use-market.ts';

/** What rules are replayed on: exchange, kind of market, pair and days. */
export const MarketFields = memo(function MarketFields({ offer, timeframe }: { offer: MarketOffer; timeframe: Timeframe }) {
  const { choice, market, exchanges, pairs } = offer;
  return (
    <div className="rules-market" role="group" aria-label="Market of the replay">
      <SelectBox
        label="Exchange"
        hideLabel
        className="rules-market-exchange"
        options={exchanges.map(({ id, name }) => ({ value: id, label: name }))}
        value={market?.exchangeId ?? null}
        onChange={(exchangeId) => chooseMarket({ exchangeId })}
      />
      <SelectBox
        label="Trading mode"
        hideLabel
        className="rules-market-mode"
        options={tradingModes}
        value={choice.tradingMode}
        onChange={(tradingMode) => chooseMarket({ tradingMode })}
      />
      <SelectBox
        label="Pair"
        hideLabel
        searchable
        className="rules-market-pair"
        options={pairs}
        value={market?.symbol ?? null}
        onChange={(symbol) => chooseMarket({ symbol })}
      />
      <SelectBox
        label="Days"
        hideLabel
        className="rules-market-days"
        options={daysFor(timeframe).map((days) => ({ value: String(days), label: `${days} days of ${timeframe}` }))}
        value={String(daysAt(timeframe, choice.days))}
        onChange={(value) => {
          const days = daysFor(timeframe).find((each) => String(each) === value);
          if (days !== undefined) chooseMarket({ days });
        }}
      />
    </div>
  );
});
