"""Public addresses told from the others: the ends of every special-purpose range and their neighbours, by hand."""

import pytest

from mechaware.claims.fetching.addresses import refused

# Of IANA's registries of special-purpose IPv4 and IPv6 addresses: the first and the last address of each block.
SPECIAL = [
    ("0.0.0.0", "0.255.255.255"),  # noqa: S104
    ("10.0.0.0", "10.255.255.255"),
    ("100.64.0.0", "100.127.255.255"),
    ("127.0.0.0", "127.255.255.255"),
    ("169.254.0.0", "169.254.255.255"),
    ("172.16.0.0", "172.31.255.255"),
    ("192.0.0.0", "192.0.0.7"),
    ("192.0.0.8", "192.0.0.9"),
    ("192.0.0.10", "192.0.0.171"),
    ("192.0.2.0", "192.0.2.255"),
    ("192.31.196.0", "192.31.196.255"),
    ("192.52.193.0", "192.52.193.255"),
    ("192.88.99.0", "192.88.99.255"),
    ("192.168.0.0", "192.168.255.255"),
    ("192.175.48.0", "192.175.48.255"),
    ("198.18.0.0", "198.19.255.255"),
    ("198.51.100.0", "198.51.100.255"),
    ("203.0.113.0", "203.0.113.255"),
    ("224.0.0.0", "239.255.255.255"),
    ("240.0.0.0", "255.255.255.255"),
    ("::", "::1"),
    ("::ffff:0:0", "::ffff:ffff:ffff"),
    ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"),
    ("100::", "100::ffff:ffff:ffff:ffff"),
    ("100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"),
    ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:1::1", "2001:1::3"),
    ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"),
    ("2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff"),
    ("2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:1ff:ffff::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
]
# Not in these registries: multicast, the former site-local addresses, a zone, addresses in other addresses.
OTHERS = [
    ("ff00::", "ff0e::1"),
    ("fec0::1", "fe80::1%lo"),
    ("::127.0.0.1", "::8.8.8.8"),
    ("::ffff:127.0.0.1", "::ffff:8.8.8.8"),
    ("2002:7f00:1::", "2002:808:808::"),
    ("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe"),  # NAT64 of 127.0.0.1 and of 169.254.169.254
]


@pytest.mark.parametrize("address", [address for ends in SPECIAL + OTHERS for address in ends])
def test_an_address_of_a_special_purpose_is_refused(address: str) -> None:
    assert refused(address)


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "191.255.255.255",
        "192.0.1.0",
        "192.0.3.0",
        "192.88.98.255",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2001:200::",  # the first after 2001::/23
        "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
        "2001:db9::",
        "2003::",
        "2606:4700::1111",
        "2620:4f:7fff::1",
        "2620:4f:8001::",
        "3ffe:ffff::",
        "64:ff9b::808:808",  # 8.8.8.8 behind NAT64
    ],
)
def test_a_public_address_beside_them_is_not(address: str) -> None:
    assert not refused(address)
