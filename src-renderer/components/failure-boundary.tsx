/** Catches the rendering errors of a screen, so that the window stays and offers a remedy. */
import { Component, type ReactNode } from 'react'

interface FailureBoundaryProps {
  /** A change of this value clears the failure and renders again. */
  resetKey: string
  /** Returns the content to show instead, from the text of the failure. */
  fallback: (detail: string) => ReactNode
  children: ReactNode
}

/** React offers this only to classes. */
export class FailureBoundary extends Component<FailureBoundaryProps, { detail: string | null; resetKey: string }> {
  override state = { detail: null, resetKey: this.props.resetKey }

  static getDerivedStateFromError(error: unknown) {
    return { detail: error instanceof Error ? error.message : String(error) }
  }

  static getDerivedStateFromProps(props: FailureBoundaryProps, state: { resetKey: string }) {
    return props.resetKey === state.resetKey ? null : { detail: null, resetKey: props.resetKey }
  }

  override render() {
    return this.state.detail === null ? this.props.children : this.props.fallback(this.state.detail)
  }
}
