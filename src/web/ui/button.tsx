import type { ButtonProps as MantineButtonProps } from '@mantine/core';
import { Button as MantineButton, Loader } from '@mantine/core';
import type { ComponentPropsWithoutRef, ReactNode } from 'react';

/** What a button means: the main action, another one, a quiet one, one that takes something away, and one that leads to such a question. */
export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'destructive' | 'outlined-destructive';

const looks: Record<ButtonVariant, Pick<MantineButtonProps, 'variant' | 'color'>> = {
  primary: { variant: 'filled' },
  secondary: { variant: 'default' },
  ghost: { variant: 'subtle', color: 'var(--fl-brand-text)' },
  destructive: { variant: 'filled', color: '#c62828' },
  'outlined-destructive': { variant: 'outline', color: 'var(--fl-down)' },
};

type Native = Pick<
  ComponentPropsWithoutRef<'button'>,
  'type' | 'onClick' | 'disabled' | 'title' | 'className' | 'aria-label' | 'aria-describedby' | 'aria-current' | 'aria-pressed'
> & { 'data-autofocus'?: boolean; 'data-action'?: string };

/** See `Button`. */
export interface ButtonProps extends Native {
  variant?: ButtonVariant;
  size?: 'small' | 'medium' | 'large';
  loading?: boolean; // shows a spinner beside the words and takes no clicks
  icon?: ReactNode;
  fullWidth?: boolean;
  children: ReactNode;
}

const sizes = { small: 'compact-xs', medium: 'xs', large: 'sm' } as const;

/** A button in one of five meanings. While loading its words stay, so that they can say what is happening. */
export function Button({ variant = 'primary', size = 'medium', loading = false, disabled = false, icon, children, ...rest }: ButtonProps) {
  return (
    <MantineButton
      {...looks[variant]}
      {...rest}
      size={sizes[size]}
      disabled={disabled || loading}
      aria-busy={loading}
      data-variant-name={variant}
      leftSection={loading ? <Loader size={12} color="currentColor" aria-hidden /> : icon}
    >
      {children}
    </MantineButton>
  );
}
