import { isDollar } from '../ui/money.ts';
import { useFleet } from './use-fleet.ts';

/** Whether one of the visible bots trades in another currency than dollars, so that a sum over bots leaves it out. */
export function useOtherCurrencies(): boolean {
  const { bots } = useFleet();
  return bots?.some(({ stake_currency: currency }) => currency !== undefined && !isDollar(currency)) === true;
}
