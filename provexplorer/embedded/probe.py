"""Ask an address; exit 0 if it answers 200. For health checks of containers without curl."""

import sys
import urllib.request


def main() -> int:
    """0 if the address of the first argument answers 200 within 5 seconds, else 1."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(sys.argv[1], timeout=5) as response:
            return 0 if response.status == 200 else 1
    except OSError:
        return 1


if __name__ == "__main__":
    sys.exit(main())
