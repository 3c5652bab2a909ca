/** Distance from the end, in CSS pixels, within which scrolling down takes up following again. */
const NEAR_END_PX = 24;

/** Distance that rounding alone can make, in CSS pixels. */
const ROUNDING_PX = 2;

/**
 * Keeps the end of a growing content in view, as long as the person has not scrolled away from it. Any move upwards
 * stops that; scrolling to the end, or `follow()`, takes it up again.
 */
export class ScrollFollow {
  #scroller;
  #onChange;
  #following = true;
  #lastTop = 0;

  /**
   * @param {HTMLElement} scroller the element that scrolls
   * @param {HTMLElement} content its content, whose size changes
   * @param {(following: boolean) => void} onChange
   */
  constructor(scroller, content, onChange) {
    this.#scroller = scroller;
    this.#onChange = onChange;
    scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    const sizes = new ResizeObserver(() => this.#keepEndInView());
    sizes.observe(scroller);
    sizes.observe(content);
  }

  /** Goes to the end and stays there. */
  follow() {
    this.#setFollowing(true);
    this.#keepEndInView();
  }

  #keepEndInView() {
    if (this.#following) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const distance = scrollHeight - clientHeight - scrollTop;
    const movedUp = scrollTop < this.#lastTop;
    this.#lastTop = scrollTop;
    // Content that shrinks moves the position up too, but leaves it at the end.
    if (movedUp && distance > ROUNDING_PX) this.#setFollowing(false);
    else if (distance <= NEAR_END_PX) this.#setFollowing(true);
  }

  /** @param {boolean} following */
  #setFollowing(following) {
    if (following === this.#following) return;
    this.#following = following;
    this.#onChange(following);
  }
}
