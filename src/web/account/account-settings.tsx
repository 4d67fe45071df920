import './account.css';
import { Skeleton } from '@mantine/core';
import { useState } from 'react';
import { useAuthCheck } from '../session/use-auth-check.ts';
import { useUser } from '../session/use-session.ts';
import { Banner } from '../ui/banner.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { savedMs, useSaved } from '../ui/use-saved.ts';
import { ApiKeysSection } from './api-keys-section.tsx';
import { PasswordSection } from './password-section.tsx';
import type { Reports, SectionFailure, SettingsPlace } from './section-reports.ts';
import { SessionsSection } from './sessions-section.tsx';
import { TwoFactorSection } from './two-factor-section.tsx';

const AuthenticatorSection = onDemand(
  () => import('./authenticator/authenticator-section.tsx').then((module) => module.AuthenticatorSection),
  <Skeleton height={120} aria-label="Loading the authenticator app" role="status" />,
);
const PasskeysSection = onDemand(
  () => import('./passkeys/passkeys-section.tsx').then((module) => module.PasskeysSection),
  <Skeleton height={120} aria-label="Loading the passkeys" role="status" />,
);
const ChannelsSection = onDemand(
  () => import('./channels/channels-section.tsx').then((module) => module.ChannelsSection),
  <Skeleton height={120} aria-label="Loading channels" role="status" />,
);

/** The settings of the signed-in person's account, a section each; what is saved or fails is said at the top. */
export function AccountSettings({ place = 'account' }: { place?: SettingsPlace }) {
  const user = useUser();
  const check = useAuthCheck();
  const [isSaved, setSaved] = useSaved(savedMs.account);
  const [failure, setFailure] = useState<SectionFailure | null>(null);
  const reports: Reports = {
    onSaved() {
      setFailure(null);
      setSaved(true);
    },
    onFailed(failed) {
      setFailure(failed);
      setSaved(false);
    },
  };

  return (
    <div className="account">
      {check.failure === null ? null : <Banner tone="error" text={check.failure} />}
      {isSaved ? <Banner tone="success" text="Changes saved!" /> : null}
      {failure === null ? null : <Banner tone="error" text={failure.text} detail={failure.detail} />}
      <dl className="account-facts">
        <div>
          <dt>Email</dt>
          <dd>{user?.email ?? 'User'}</dd>
        </div>
        <div>
          <dt>Role</dt>
          <dd>{user?.role ?? '—'}</dd>
        </div>
      </dl>
      <div className="account-sections">
        <PasswordSection place={place} {...reports} />
        <TwoFactorSection place={place} {...reports} />
        {place === 'account' ? (
          <>
            <AuthenticatorSection {...reports} />
            <PasskeysSection {...reports} />
            <SessionsSection {...reports} />
            <ApiKeysSection {...reports} />
            <ChannelsSection {...reports} />
          </>
        ) : null}
      </div>
    </div>
  );
}
