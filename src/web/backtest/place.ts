import { addressStore } from '../address/address.ts';

/** Where a person is at a moment: on which sub-tab, and what is opened there. */
export interface Place {
  view: string;
  opened: string;
}

/** Where the person is now. */
export function placeNow(): Place {
  const { tab = '', view = '', run = '', compare = '' } = addressStore.getState().values;
  return { view: `${tab} ${view}`, opened: `${run} ${compare}` };
}

/**
 * Whether nothing else was opened since the person was at `place`: only then what was asked for there is shown, and nobody is taken away from
 * what was opened meanwhile. The run or study it is about, which the page may have shown by itself, is nothing else.
 */
export function isStillAt({ view, opened }: Place, id: string): boolean {
  const now = placeNow();
  return now.view === view && (now.opened === opened || now.opened === `${id} `);
}
