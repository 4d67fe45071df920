import { useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { dashboardStore, resetDashboard, setPnlRange, useChoices } from './dashboard-store.ts';

/**
 * Keeps bot, pair and range in the address, so that a reload or a shared link shows the same. What the address names but
 * the lists do not hold is replaced by the first entry, as without an address.
 */
export function useChoicesInAddress(): void {
  const [params, setParams] = useSearchParams();
  const atStart = useRef(params);
  const { selectedBotId, selectedPair, pnlRange } = useChoices((choices) => choices);

  useEffect(() => {
    dashboardStore.setState({ selectedBotId: atStart.current.get('bot'), selectedPair: atStart.current.get('pair') });
    setPnlRange(atStart.current.get('range') ?? '');
    return resetDashboard;
  }, []);

  useEffect(() => {
    if (selectedBotId === null) return;
    const next = new URLSearchParams({ bot: selectedBotId, ...(selectedPair === null ? {} : { pair: selectedPair }), range: pnlRange });
    if (next.toString() !== params.toString()) setParams(next, { replace: true });
  }, [selectedBotId, selectedPair, pnlRange, params, setParams]);
}
