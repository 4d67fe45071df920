import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';

/** See `Banner`. */
export interface BannerProps {
  tone: 'error' | 'success' | 'warning';
  text: string;
  detail?: string | null; // a second line, shown when it says something else
}

/** A message across the screen: failed loads in red, successes in green, warnings in amber. */
export function Banner({ tone, text, detail = null }: BannerProps) {
  const Icon = tone === 'success' ? IconCircleCheck : IconAlertTriangle;
  return (
    <div className={`fl-banner fl-banner-${tone}`} role={tone === 'error' ? 'alert' : 'status'}>
      <Icon size={16} aria-hidden />
      <div>
        <p>{text}</p>
        {detail !== null && detail !== text ? <p className="fl-banner-detail">{detail}</p> : null}
      </div>
    </div>
  );
}
