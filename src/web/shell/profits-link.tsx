import { changeAddress, writeAddress } from '../address/address.ts';

/** Leaves what was chosen on the page of profits. */
export const noProfits = { period: null, from: null, to: null, by: null, mode: null, money: null } as const;

const page = { tab: 'reports', view: 'profits' } as const;

/** The way to what the bots made this month, on the screens about bots. */
export function ProfitsLink() {
  return (
    <a
      className="shell-profits"
      href={writeAddress(page)}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        changeAddress({ ...page, ...noProfits, trade: null, order: null });
      }}
    >
      Profits this month
    </a>
  );
}
