import { IconListSearch, IconMail, IconServerCog, IconShield, IconUsers } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { addressStore, changeAddress, writeAddress } from '../address/address.ts';

const entries = [
  { view: 'account', label: 'Account and Users', Icon: IconUsers },
  { view: 'limits', label: 'Limits and Kill Switch', Icon: IconShield },
  { view: 'installation', label: 'Installation', Icon: IconServerCog },
  { view: 'mail', label: 'Mail', Icon: IconMail },
  { view: 'audit', label: 'Audit Log', Icon: IconListSearch },
] as const;

/** The pages of the Settings tab, by the view that the address names. */
export type SettingsView = (typeof entries)[number]['view'];

/** The page that a view of the address names; the first one when there is none of that name. */
export function settingsView(named: string | null): SettingsView {
  return entries.find(({ view }) => view === named)?.view ?? 'account';
}

/** The list of the pages of the Settings tab: on a wide screen to their left, else above them. */
export function SettingsRail({ view: shown }: { view: SettingsView }) {
  const values = useStore(addressStore, (address) => address.values);
  return (
    <nav className="shell-rail" aria-label="Settings pages">
      {entries.map(({ view, label, Icon }) => {
        const change = { view: view === 'account' ? null : view };
        const { view: _, ...others } = values;
        return (
          <a
            key={view}
            href={writeAddress(change.view === null ? others : { ...others, view }) || '?'}
            aria-current={view === shown ? 'page' : undefined}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return; // another tab or window
              event.preventDefault();
              changeAddress(change);
            }}
          >
            <Icon size={16} aria-hidden />
            {label}
          </a>
        );
      })}
    </nav>
  );
}
