import { IconAlertTriangle, IconCircleCheck, IconPoint } from '@tabler/icons-react';
import { accountHealth } from './account-health.ts';
import type { LiveAccount } from './use-live-accounts.ts';

const icons = { good: IconCircleCheck, bad: IconAlertTriangle, plain: IconPoint } as const;
const words = { good: 'right', bad: 'wrong', plain: 'for information' } as const;

/** How an account stands, a line for each thing. */
export function HealthList({ account, now }: { account: LiveAccount; now: number }) {
  return (
    <ul className="live-accounts-health fl-number" aria-label="Health of the account">
      {accountHealth(account, now).map(({ name, value, tone }) => {
        const Icon = icons[tone];
        return (
          <li key={name} className={`live-accounts-${tone}`}>
            <Icon size={15} role="img" aria-label={words[tone]} />
            <span>{name}</span>
            <b>{value}</b>
          </li>
        );
      })}
    </ul>
  );
}
