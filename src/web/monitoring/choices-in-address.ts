import { useLayoutEffect } from 'react';
import { pnlRanges } from '#contract/fields.ts';
import { addressStore, changeAddress } from '../address/address.ts';
import { dashboardStore, resetDashboard } from './dashboard-store.ts';

/**
 * Ties bot, pair and range to the address, both ways: a link, a reload and Back show the same, and a choice can be gone
 * back from. What the address names but the lists do not hold is replaced by the first entry, as without an address.
 */
export function useChoicesInAddress(): void {
  useLayoutEffect(() => {
    choose();
    const stopReading = addressStore.subscribe((now, before) => {
      if (now.values !== before.values) choose();
    });
    const stopWriting = dashboardStore.subscribe(({ selectedBotId, selectedPair, pnlRange, chosenBy }) => {
      // Nothing is chosen while a list is on its way; the address keeps what it named.
      if (selectedBotId === null) return;
      const { bot, pair } = addressStore.getState().values;
      // The trades of another bot or pair are others.
      const trade = bot === selectedBotId && (pair ?? null) === selectedPair ? {} : { trade: null };
      changeAddress({ bot: selectedBotId, pair: selectedPair, range: pnlRange, ...trade }, chosenBy === 'person' ? 'push' : 'replace');
    });
    return () => {
      stopReading();
      stopWriting();
      resetDashboard();
    };
  }, []);
}

/** Chooses what the address names. */
function choose(): void {
  const { bot = null, pair = null, range = '' } = addressStore.getState().values;
  const { selectedBotId, selectedPair, pnlRange: shown } = dashboardStore.getState();
  const pnlRange = pnlRanges.find((word) => word === range) ?? pnlRanges[0];
  if (bot === selectedBotId && pair === selectedPair && pnlRange === shown) return;
  dashboardStore.setState({ selectedBotId: bot, selectedPair: pair, pnlRange, chosenBy: 'page' });
}
