"""Tells public internet addresses from all others."""

import ipaddress

# IANA's registries of special-purpose addresses, whole: also what Python's `is_global` lets pass, and the ranges that
# are reachable from everywhere, where no paper lies either (AS112, AMT, 6to4, Teredo).
SPECIAL_IPV4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.31.196.0/24",
            "192.52.193.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "192.175.48.0/24",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",  # multicast, a registry of its own
            "240.0.0.0/4",
        ),
    )
)
GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")  # what IANA assigns from; mapped, local and multicast lie outside
SPECIAL_IPV6 = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "2001::/23",
            "2001:db8::/32",
            "2002::/16",
            "2620:4f:8000::/48",
            "3fff::/20",
        ),
    )
)
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def refused(address: str) -> bool:
    """Whether an IPv4 or IPv6 address is not a public one.

    Of the special-purpose ranges only NAT64 (64:ff9b::/96) with a public IPv4 address in it is public: that is how a
    network without IPv4 reaches every other server. An address that carries an IPv4 address in another way (mapped,
    compatible, 6to4, Teredo) is refused whatever that address is.
    """
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv4Address):
        return any(ip in network for network in SPECIAL_IPV4)
    if ip in NAT64:
        return refused(str(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)))
    return ip not in GLOBAL_UNICAST or any(ip in network for network in SPECIAL_IPV6)
